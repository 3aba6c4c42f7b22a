-- The bytes that citations quote, compressed, under their hash: of each document's file, or the text that was made of it.
-- Documents of one corpus share them, and no two corpora do. Those that an earlier version wrote have none as yet.

CREATE TABLE quaestor.contents (
    corpus_id       bigint      NOT NULL,
    hash            bytea       NOT NULL,               -- SHA-256 of the bytes
    data            bytea       NOT NULL,               -- the bytes, compressed by zlib
    PRIMARY KEY (corpus_id, hash)
);
ALTER TABLE quaestor.contents ALTER COLUMN data SET STORAGE EXTERNAL;

ALTER TABLE quaestor.documents ADD COLUMN content_hash bytea;
CREATE INDEX documents_by_content ON quaestor.documents (corpus_id, content_hash);
