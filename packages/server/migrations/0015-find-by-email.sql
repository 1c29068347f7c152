-- outside a transaction
-- Support finds users by their e-mail address, or its beginning.
create index concurrently if not exists contact_details_by_email
  on contact_details (app_id, lower(email) text_pattern_ops) where email is not null;
