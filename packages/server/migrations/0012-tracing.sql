-- A traceparent, where the call that caused the delivery is traced.
alter table webhook_deliveries add column trace text collate "C";
