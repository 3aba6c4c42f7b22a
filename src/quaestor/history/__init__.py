"""Git's history as a source: what changed, when, why and by whom, read from a repository that may be hostile.

``git`` runs git read-only and bounded; ``repository`` says which one is read; ``log``, ``blame``, ``pickaxe`` and
``tags`` each ask it one thing; ``objects`` gives commits and tags as texts that can be cited; ``versions`` and
``changelog`` are pure.

Git itself is run, and no library is used in its place: dulwich and pygit2 have neither a pickaxe nor mailmap-aware
blame, and would be a dependency of every installation, while every machine with a repository has git. What makes git
dangerous is configuration, and ``git`` gives it none of the repository's.
"""
