-- Each corpus has an index of its own over its vectors, and PostgreSQL looks at all indexes of a table for each statement
-- and each row that is written. So that a corpus pays for few of the others', vectors lie in sixteen parts by their corpus.

ALTER TABLE quaestor.vectors RENAME TO vectors_undivided;

CREATE TABLE quaestor.vectors (
    corpus_id       bigint      NOT NULL,
    id              bigint      NOT NULL,
    key             bytea       NOT NULL,
    embedding       halfvec,
    PRIMARY KEY (corpus_id, id),
    UNIQUE (corpus_id, key)
) PARTITION BY HASH (corpus_id);

DO $$
DECLARE
    made record;
    part regclass;
BEGIN
    FOR number IN 0..15 LOOP
        EXECUTE format('CREATE TABLE quaestor.%I PARTITION OF quaestor.vectors FOR VALUES WITH (MODULUS 16, REMAINDER %s)'
            ' WITH (toast_tuple_target = 8160)', 'vectors_' || number, number);
    END LOOP;
    INSERT INTO quaestor.vectors SELECT * FROM quaestor.vectors_undivided;
    -- The indexes that there were (`nearest.py`), each on the part that its corpus lies in.
    FOR made IN SELECT name, numbers[1]::bigint AS corpus, numbers[2]::integer AS size
        FROM (SELECT c.relname AS name, regexp_match(c.relname, '^vectors_hnsw_(\d+)_(\d+)$') AS numbers
            FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            WHERE i.indrelid = 'quaestor.vectors_undivided'::regclass AND i.indisvalid) AS indexes
        WHERE numbers IS NOT NULL LOOP
        EXECUTE format('DROP INDEX quaestor.%I', made.name);
        SELECT tableoid INTO part FROM quaestor.vectors WHERE corpus_id = made.corpus LIMIT 1;
        IF part IS NOT NULL THEN
            EXECUTE format('CREATE INDEX %I ON %s USING hnsw ((embedding::halfvec(%s)) halfvec_cosine_ops)'
                ' WHERE corpus_id = %s AND vector_dims(embedding) = %3$s', made.name, part, made.size, made.corpus);
        END IF;
    END LOOP;
END $$;

DROP TABLE quaestor.vectors_undivided;
