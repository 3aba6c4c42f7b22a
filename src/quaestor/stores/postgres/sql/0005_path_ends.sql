-- A path is found by its end without looking at all others: by its last name, in lower case. A name may be too long for a
-- key; what of it stands there does.

CREATE INDEX documents_by_last_name ON quaestor.documents
    (corpus_id, (left(substring(lower(path) FROM '[^/]*$'), 200)));
