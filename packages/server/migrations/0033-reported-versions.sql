-- What a reported message said when it was reported: a list of versions. Whatever its author does to
-- the message, moderators can read them until the case is closed.
alter table moderation_cases add column reported jsonb;
