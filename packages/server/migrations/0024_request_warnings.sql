-- What a request was accepted without: fields that could not be sent to the processor. JSON; null where there is nothing.
alter table request_logs add column warnings text;
