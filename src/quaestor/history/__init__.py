"""Git's history as a source: what changed, when, why and by whom, read from a repository that may be hostile.

``git`` runs git read-only and bounded, on one ``Repository``; ``log`` asks it for commits and
lines, ``versions`` for tags; ``history_json`` gives commits and tags as texts that can be cited.
The package does not know indexes, answers or corpora. Begin with ``git``.

Git itself is run because dulwich and pygit2 have neither a pickaxe nor mailmap-aware blame. What makes git dangerous is
configuration, and ``git`` gives it none of the repository's.
"""
