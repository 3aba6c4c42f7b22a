"""Sites as folders of Markdown: what is in scope is fetched politely, and each page becomes one file.

What lies here knows the network and nothing of stores: a crawl fills a folder, which is then indexed as any other. So
searching a site needs no network, and an update indexes only the pages that changed.
"""
