-- `sent_at`: when the first bytes of a delivery were sent, or may have been sent by a server that ended before it recorded the attempt. From
-- then on its charge stays. A charge without it: a server is about to send it. An endpoint that is deleted stays, invisible, until its
-- deliveries are removed in batches.
ALTER TABLE webhook_deliveries ADD COLUMN sent_at BIGINT;
ALTER TABLE webhook_endpoints ADD COLUMN deleted_at BIGINT;
CREATE INDEX webhook_endpoints_deleted ON webhook_endpoints (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (created_at) WHERE units = 0;
-- Tests could wait without limit. From now on they are sent once.
DELETE FROM webhook_deliveries WHERE units = 0 AND state <> 'delivered';
