"""Sites and repositories as folders: a crawl fetches pages in scope politely and writes each as one Markdown file.

The package knows the network and does not know stores: a crawl fills a folder, which is then indexed like any other.
So searching a site needs no network, and an update indexes only the pages that changed.
Begin with ``crawler`` for sites and ``clone`` for git repositories.
"""
