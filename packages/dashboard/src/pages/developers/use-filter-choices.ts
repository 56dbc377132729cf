import { useCall } from '../../api/calls.ts';
import type { Choice } from '../../components/forms/inputs.tsx';

const asChoices = (values: readonly string[] = []): Choice[] =>
  values.map((value) => ({ value, label: value }));

/** What the filters of requests, events and deliveries offer; nothing while it loads. */
export function useFilterChoices() {
  const { data } = useCall('retrieveDeveloperFilters');
  return {
    routes: asChoices(data?.routes),
    codes: asChoices(data?.codes),
    event_types: asChoices(data?.event_types),
  };
}
