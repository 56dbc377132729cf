interface FullEvent {
  readonly data: { readonly object: { readonly id: unknown; readonly object: unknown } };
}

/** Removes the object's data from an event, for an endpoint with `payload: thin`. @param body the event as logged */
export function thinEvent(body: string): string {
  const event = JSON.parse(body) as FullEvent;
  const { id, object } = event.data.object;
  return JSON.stringify({ ...event, data: { object: { id, object } } });
}
