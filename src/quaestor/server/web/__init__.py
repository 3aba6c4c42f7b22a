"""The page: a corpus in the browser. Templates are filled on the server, and the browser runs little code.

It does not know how an answer is made. Begin with ``conversation_pages``.
"""
