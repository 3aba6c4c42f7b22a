"""What every package may use: errors, messages, documents, settings and their values, terms, wording.

It does not know any other package. Begin with ``documents``, the values that everything else passes around;
``settings`` lists every setting, and ``config`` finds its value.
"""
