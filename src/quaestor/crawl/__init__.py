"""Sites as folders of Markdown: a crawl fetches the pages in scope politely and writes each as one file.

This package knows the network and no stores: a crawl fills a folder, which is then indexed like any other. So
searching a site needs no network, and an update indexes only the pages that changed.
"""
