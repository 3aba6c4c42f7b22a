"""What every room may use: errors, messages, passages, settings and where their values come from, terms, wording."""
