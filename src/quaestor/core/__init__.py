"""What every package may use: errors, messages, passages, settings and where their values come from, terms, wording."""
