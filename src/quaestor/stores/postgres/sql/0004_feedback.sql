-- What a person said of an answer, and which proposed changes were made: as in a session's file since format 7.

CREATE TABLE quaestor_sessions.feedback (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    id              bigint      NOT NULL,
    turn            bigint      NOT NULL,
    at              text        NOT NULL,
    useful          bigint      NOT NULL,
    words           text        NOT NULL,
    PRIMARY KEY (session_key, id),
    FOREIGN KEY (session_key, turn) REFERENCES quaestor_sessions.turns (session_key, number) ON DELETE CASCADE
);

CREATE TABLE quaestor_sessions.applied (
    session_key     bigint      NOT NULL DEFAULT quaestor_session.current_key(),
    call            bigint      NOT NULL,
    at              text        NOT NULL,
    PRIMARY KEY (session_key, call),
    FOREIGN KEY (session_key, call) REFERENCES quaestor_sessions.calls (session_key, id) ON DELETE CASCADE
);

CREATE VIEW quaestor_session.feedback AS
    SELECT id, turn, at, useful, words FROM quaestor_sessions.feedback
    WHERE session_key = quaestor_session.current_key();

CREATE VIEW quaestor_session.applied AS
    SELECT call, at FROM quaestor_sessions.applied WHERE session_key = quaestor_session.current_key();
