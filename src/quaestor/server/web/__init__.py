"""The page: what a person sees of a corpus in a browser. Templates are filled here; the browser runs little code.

It does not know how an answer is made. Begin with ``conversation_pages``.
"""
