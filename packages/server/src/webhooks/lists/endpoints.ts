import type { WaitingRows } from '../../store/list.ts';
/** Endpoints of account `$1` that are failing now or are paused. */
export const failingEndpoints: WaitingRows = {
  name: 'attention_endpoints',
  columns: `id, name, url, status, paused_reason, first_failure_at as failing_since`,
  matching: `from webhook_endpoints where account_id = $1 and deleted_at is null
    and (status = 'paused' or first_failure_at is not null)`,
  order: 'id',
};
