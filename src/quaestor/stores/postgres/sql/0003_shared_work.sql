-- Files that are to be taken into a corpus, while several processes share them. A process leases some at a time; a row
-- goes with the transaction that writes its document. What is left of processes that ended belongs to nobody.

CREATE TABLE quaestor.work_items (
    corpus_id       bigint      NOT NULL,
    path_key        bytea       NOT NULL,
    path            text        NOT NULL,
    size            bigint      NOT NULL,
    stamp           bigint      NOT NULL,               -- of the file as it is to be taken in
    position        bigint      NOT NULL,               -- the order in which items are leased
    holder          text        NOT NULL DEFAULT '',
    leased_until    timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (corpus_id, path_key)
);
CREATE INDEX work_items_by_position ON quaestor.work_items (corpus_id, position);
