"""What every package may use: errors, messages, passages, settings and where their values come from, terms, wording.

It does not know any other package. Begin with ``documents``, the values that everything else passes around;
``settings`` lists every setting, and ``config`` finds its value.
"""
