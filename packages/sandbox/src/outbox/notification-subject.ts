import type { SimulatedProcessor } from '../lib/dependencies.ts';
import { isObject, objectIn } from '../lib/json.ts';

/**
 * Returns the subject of a planned notification according to its body. Notifications about one subject are
 * sent in order. All notifications without a recognizable subject share one.
 */
export function subjectOf({
  processor,
  body,
}: {
  readonly processor: SimulatedProcessor;
  readonly body: unknown;
}): string {
  const named = processor === 'processor_a' ? subjectA(body) : subjectB(body);
  return typeof named === 'string' ? named : '';
}

/** The payment's reference: notifications about the payment and about its modifications have it. */
function subjectA(body: unknown): unknown {
  const items = isObject(body) ? body.notificationItems : undefined;
  const { originalReference, pspReference } = objectIn(
    Array.isArray(items) ? items[0] : undefined,
    'NotificationRequestItem',
  );
  return originalReference ?? pspReference;
}

/** The order's id: events of the order and of its payments have it. */
function subjectB(body: unknown): unknown {
  const resource = objectIn(body, 'resource');
  const related = objectIn(objectIn(resource, 'supplementary_data'), 'related_ids');
  const type = isObject(body) ? String(body.event_type) : '';
  return related.order_id ?? (type.startsWith('CHECKOUT.ORDER.') ? resource.id : undefined);
}
