import type { SimulatedProcessor } from '../lib/dependencies.ts';
import { isObject, objectIn } from '../lib/json.ts';

/**
 * What a planned notification is about, as far as its body says: those about one subject are sent in order. All whose
 * body does not say share one.
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

/** The payment, on its own notification and on those of its modifications. */
function subjectA(body: unknown): unknown {
  const items = isObject(body) ? body.notificationItems : undefined;
  const { originalReference, pspReference } = objectIn(
    Array.isArray(items) ? items[0] : undefined,
    'NotificationRequestItem',
  );
  return originalReference ?? pspReference;
}

/** The order, on its own events and on those of its payments. */
function subjectB(body: unknown): unknown {
  const resource = objectIn(body, 'resource');
  const related = objectIn(objectIn(resource, 'supplementary_data'), 'related_ids');
  const type = isObject(body) ? String(body.event_type) : '';
  return related.order_id ?? (type.startsWith('CHECKOUT.ORDER.') ? resource.id : undefined);
}
