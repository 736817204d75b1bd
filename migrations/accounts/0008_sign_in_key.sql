-- The secret that signs pending sign-ins in the cookies of browsers, so that every server and thread can finish what another one
-- started. It has one row, which the first sign-in creates.
CREATE TABLE sign_in_key (
  id INTEGER PRIMARY KEY,
  secret TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
