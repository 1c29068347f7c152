-- A process remembers what it has read of an app, a user or a group, and the statement that acts on it
-- checks that their versions are still the same (docs/versions.md). Triggers renew them, so that no
-- writer can forget it. Every version is drawn from one sequence: a row that is deleted and made again
-- never has a version that it had before.
create or replace function renew_row_version() returns trigger language plpgsql as $$
begin
  new.row_version := nextval('row_versions');
  return new;
end
$$;

create or replace trigger renew_row_version before update on apps
  for each row execute function renew_row_version();
create or replace trigger renew_row_version before update on users
  for each row execute function renew_row_version();
create or replace trigger renew_row_version before update on groups
  for each row execute function renew_row_version();
