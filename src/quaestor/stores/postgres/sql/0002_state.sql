-- What servers keep beside the index. Times are texts in ISO 8601 (UTC) or numbers, as in the files of one machine, so
-- that one wording of SQL serves both (quaestor.state).

CREATE SCHEMA IF NOT EXISTS quaestor_state;
CREATE SCHEMA IF NOT EXISTS quaestor_sessions;
CREATE SCHEMA IF NOT EXISTS quaestor_session;

-- Users and ledger.

CREATE TABLE quaestor_state.users (
    id              text        PRIMARY KEY,
    name            text        COLLATE "C" NOT NULL,
    token           bytea       NOT NULL UNIQUE,
    created         text        COLLATE "C" NOT NULL,
    revoked         text
);
CREATE UNIQUE INDEX users_by_name ON quaestor_state.users (lower(name));

CREATE TABLE quaestor_state.requests (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at              bigint      NOT NULL,               -- milliseconds since the epoch
    "user"          text        COLLATE "C" NOT NULL,
    source          text        NOT NULL,
    session         text        NOT NULL,
    model           text        COLLATE "C" NOT NULL,
    kind            text        NOT NULL,
    request         text        NOT NULL,
    state           text        NOT NULL,
    prompt_tokens   bigint      NOT NULL,
    completion_tokens bigint    NOT NULL,
    reported        smallint    NOT NULL,
    cost            bigint,
    currency        text        COLLATE "C" NOT NULL,
    settled         bigint
);
CREATE INDEX requests_by_time ON quaestor_state.requests (at);
CREATE INDEX requests_by_user ON quaestor_state.requests ("user", at);

CREATE TABLE quaestor_state.totals (
    period          text        COLLATE "C" NOT NULL,
    "user"          text        COLLATE "C" NOT NULL,
    currency        text        COLLATE "C" NOT NULL,
    tokens          bigint      NOT NULL,
    cost            bigint      NOT NULL,
    PRIMARY KEY (period, "user", currency)
);

-- What is worth nothing after a crash: rates, and who does what now. Not logged, so that a request waits for no disk.

CREATE UNLOGGED TABLE quaestor_state.buckets (
    what            text        NOT NULL,
    key             text        NOT NULL,
    level           double precision NOT NULL,
    at              double precision NOT NULL,
    PRIMARY KEY (what, key)
);

CREATE UNLOGGED TABLE quaestor_state.claims (
    name            text        PRIMARY KEY,
    holder          text        NOT NULL,
    said            text        NOT NULL,
    until           double precision
);
CREATE INDEX claims_by_holder ON quaestor_state.claims (holder);

-- Events of turns under way, for those who follow them at another server, and which of them are to stop.

CREATE UNLOGGED TABLE quaestor_state.turn_events (
    turn            text        NOT NULL,
    number          bigint      NOT NULL,
    piece           bytea       NOT NULL,
    PRIMARY KEY (turn, number)
);

CREATE UNLOGGED TABLE quaestor_state.turn_stops (
    turn            text        PRIMARY KEY
);

-- Documents that users uploaded.

CREATE TABLE quaestor_state.uploads (
    owner           text        NOT NULL,
    name            text        COLLATE "C" NOT NULL,
    data            bytea       NOT NULL,
    changed         bigint      NOT NULL,               -- microseconds since the epoch, later with each of an owner's
    PRIMARY KEY (owner, name)
);

-- Sessions. Every key begins with the session, so that the tables can be distributed by it. Each table has a view of
-- its name that shows the rows of one session alone, that of the setting quaestor.session: whoever forgets to say
-- which gets an error, never a row of somebody else's.

CREATE TABLE quaestor_sessions.sessions (
    key             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope           text        COLLATE "C" NOT NULL,   -- the user whose names these are
    id              text        COLLATE "C" NOT NULL,
    created         text        COLLATE "C" NOT NULL,
    owner           text        NOT NULL,
    root            text        NOT NULL,
    UNIQUE (scope, id)
);

CREATE FUNCTION quaestor_session.current_key() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
    RETURN current_setting('quaestor.session')::bigint;

CREATE TABLE quaestor_sessions.turns (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key()
                                REFERENCES quaestor_sessions.sessions (key) ON DELETE CASCADE,
    number          bigint      NOT NULL,
    owner           text        NOT NULL,
    began           text        COLLATE "C" NOT NULL,
    resumes         bigint,
    PRIMARY KEY (session_key, number),
    FOREIGN KEY (session_key, resumes) REFERENCES quaestor_sessions.turns (session_key, number) ON DELETE CASCADE
);

CREATE TABLE quaestor_sessions.messages (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    id              bigint      NOT NULL,
    turn            bigint      NOT NULL,
    role            text        NOT NULL,
    content         text        NOT NULL,
    name            text,
    calls           text        NOT NULL,
    call            text,
    PRIMARY KEY (session_key, id),
    FOREIGN KEY (session_key, turn) REFERENCES quaestor_sessions.turns (session_key, number) ON DELETE CASCADE
);

CREATE TABLE quaestor_sessions.texts (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key()
                                REFERENCES quaestor_sessions.sessions (key) ON DELETE CASCADE,
    hash            text        COLLATE "C" NOT NULL,
    text            text        NOT NULL,
    PRIMARY KEY (session_key, hash)
);

CREATE TABLE quaestor_sessions.passages (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    turn            bigint      NOT NULL,
    n               bigint      NOT NULL,
    rank            bigint      NOT NULL,
    place           text        NOT NULL,
    sha256          text        NOT NULL,
    PRIMARY KEY (session_key, turn, n),
    FOREIGN KEY (session_key, turn) REFERENCES quaestor_sessions.turns (session_key, number) ON DELETE CASCADE
);

CREATE TABLE quaestor_sessions.requests (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    id              bigint      NOT NULL,
    turn            bigint      NOT NULL,
    at              text        NOT NULL,
    model           text        NOT NULL,
    "window"        bigint      NOT NULL,
    reserve         bigint      NOT NULL,
    tokens          bigint      NOT NULL,
    parameters      text        NOT NULL,
    sent            text        NOT NULL,
    sections        text        NOT NULL,
    decisions       bytea       NOT NULL,
    prompts         text        COLLATE "C" NOT NULL,
    PRIMARY KEY (session_key, id),
    FOREIGN KEY (session_key, turn) REFERENCES quaestor_sessions.turns (session_key, number) ON DELETE CASCADE,
    FOREIGN KEY (session_key, prompts) REFERENCES quaestor_sessions.texts (session_key, hash) ON DELETE CASCADE
);
CREATE INDEX requests_by_turn ON quaestor_sessions.requests (session_key, turn);

CREATE TABLE quaestor_sessions.replies (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    request         bigint      NOT NULL,
    at              text        NOT NULL,
    finish          text        NOT NULL,
    prompt_tokens   bigint,
    completion_tokens bigint,
    reported        bigint,
    PRIMARY KEY (session_key, request),
    FOREIGN KEY (session_key, request) REFERENCES quaestor_sessions.requests (session_key, id) ON DELETE CASCADE
);

CREATE TABLE quaestor_sessions.endings (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    turn            bigint      NOT NULL,
    at              text        NOT NULL,
    state           text        NOT NULL,
    known           bigint      NOT NULL,
    model           text        NOT NULL,
    error           text        NOT NULL,
    partial         text        NOT NULL,
    citations       text        NOT NULL,
    unsupported     text        NOT NULL,
    prompt_tokens   bigint      NOT NULL,
    completion_tokens bigint    NOT NULL,
    reported        bigint      NOT NULL,
    PRIMARY KEY (session_key, turn),
    FOREIGN KEY (session_key, turn) REFERENCES quaestor_sessions.turns (session_key, number) ON DELETE CASCADE
);

CREATE TABLE quaestor_sessions.summaries (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key()
                                REFERENCES quaestor_sessions.sessions (key) ON DELETE CASCADE,
    id              bigint      NOT NULL,
    at              text        NOT NULL,
    first           bigint      NOT NULL,
    last            bigint      NOT NULL,
    text            text        NOT NULL,
    model           text        NOT NULL,
    PRIMARY KEY (session_key, id)
);

CREATE TABLE quaestor_sessions.learned (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key()
                                REFERENCES quaestor_sessions.sessions (key) ON DELETE CASCADE,
    id              bigint      NOT NULL,
    at              text        NOT NULL,
    model           text        NOT NULL,
    "window"        bigint      NOT NULL,
    PRIMARY KEY (session_key, id)
);

CREATE TABLE quaestor_sessions.calls (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    id              bigint      NOT NULL,
    turn            bigint      NOT NULL,
    at              text        NOT NULL,
    name            text        NOT NULL,
    arguments       text        NOT NULL,
    result          text        NOT NULL,
    failed          bigint      NOT NULL,
    passages        text        NOT NULL,
    PRIMARY KEY (session_key, id),
    FOREIGN KEY (session_key, turn) REFERENCES quaestor_sessions.turns (session_key, number) ON DELETE CASCADE
);

CREATE TABLE quaestor_sessions.plans (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    turn            bigint      NOT NULL,
    at              text        NOT NULL,
    plan            text        NOT NULL,
    PRIMARY KEY (session_key, turn),
    FOREIGN KEY (session_key, turn) REFERENCES quaestor_sessions.turns (session_key, number) ON DELETE CASCADE
);

CREATE TABLE quaestor_sessions.titles (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key()
                                REFERENCES quaestor_sessions.sessions (key) ON DELETE CASCADE,
    id              bigint      NOT NULL,
    at              text        NOT NULL,
    title           text        NOT NULL,
    PRIMARY KEY (session_key, id)
);

CREATE TABLE quaestor_sessions.filters (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    id              bigint      NOT NULL,
    turn            bigint      NOT NULL,
    at              text        NOT NULL,
    understood      text        NOT NULL,
    missed          text        NOT NULL,
    PRIMARY KEY (session_key, id),
    FOREIGN KEY (session_key, turn) REFERENCES quaestor_sessions.turns (session_key, number) ON DELETE CASCADE
);

CREATE TABLE quaestor_sessions.differences (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    call            bigint      NOT NULL,
    difference      text        NOT NULL,
    PRIMARY KEY (session_key, call),
    FOREIGN KEY (session_key, call) REFERENCES quaestor_sessions.calls (session_key, id) ON DELETE CASCADE
);

CREATE TABLE quaestor_sessions.unchecked (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    turn            bigint      NOT NULL,
    quotes          text        NOT NULL,
    PRIMARY KEY (session_key, turn),
    FOREIGN KEY (session_key, turn) REFERENCES quaestor_sessions.turns (session_key, number) ON DELETE CASCADE
);

CREATE VIEW quaestor_session.session AS
    SELECT id, created, owner, root FROM quaestor_sessions.sessions WHERE key = quaestor_session.current_key();

DO $$
DECLARE
    name text;
    columns text;
BEGIN
    FOR name IN SELECT table_name FROM information_schema.tables
        WHERE table_schema = 'quaestor_sessions' AND table_name <> 'sessions' LOOP
        SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) INTO columns
            FROM information_schema.columns
            WHERE table_schema = 'quaestor_sessions' AND table_name = name AND column_name <> 'session_key';
        EXECUTE format(
            'CREATE VIEW quaestor_session.%I AS SELECT %s FROM quaestor_sessions.%I'
            ' WHERE session_key = quaestor_session.current_key()', name, columns, name);
    END LOOP;
END $$;
