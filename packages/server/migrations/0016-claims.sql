-- Who looks at a case, so that nobody else decides it; once it is decided, who did.
alter table moderation_cases add column claimed_by text collate "C";
alter table moderation_cases add column claimed_until bigint;
