interface Thick {
  readonly data: { readonly object: { readonly id: unknown; readonly object: unknown } };
}

/** An event without its object's data: what an endpoint with `payload: thin` is sent. @param body the event as logged */
export function thinEvent(body: string): string {
  const event = JSON.parse(body) as Thick;
  const { id, object } = event.data.object;
  return JSON.stringify({ ...event, data: { object: { id, object } } });
}
