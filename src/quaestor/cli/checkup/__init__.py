"""What ``quaestor doctor`` looks at: a file each for the index, what is kept, who may read it, endpoints and ports."""
