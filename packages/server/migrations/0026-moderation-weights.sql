-- How much a list or a rule gives to look for: words, bytes, patterns and the work that these are.
-- Null: of an older release; the sum counts it as nothing until it is saved again.
alter table moderation_keyword_lists add column weight jsonb;
alter table moderation_rules add column weight jsonb;

-- What the work of patterns is cannot be said here: each was held to its own limit when it was saved.
update moderation_keyword_lists set weight = jsonb_build_object(
  'words', case category when 'word' then cardinality(terms) else 0 end,
  'bytes', octet_length(array_to_string(terms, '')),
  'patterns', case category when 'pattern' then cardinality(terms) else 0 end,
  'work', 0);
update moderation_rules r set weight = (
  select jsonb_build_object(
    'words', coalesce(sum(jsonb_array_length(c -> 'value'))
      filter (where c ->> 'category' = 'word' and c ->> 'isKeywordsReferencePresent' = 'false'), 0),
    'bytes', octet_length(r.conditions::text),
    'patterns', coalesce(sum(jsonb_array_length(c -> 'value'))
      filter (where c ->> 'category' = 'pattern' and c ->> 'isKeywordsReferencePresent' = 'false'), 0),
    'work', 0)
  from jsonb_array_elements(r.conditions) as c);
