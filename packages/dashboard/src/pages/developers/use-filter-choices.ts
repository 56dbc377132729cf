import { useCall } from '../../api/calls.ts';
import type { Choice } from '../../components/forms/inputs.tsx';

const asChoices = (values: readonly string[] = []): Choice[] =>
  values.map((value) => ({ value, label: value }));

/** The choices of the filters for requests, events and deliveries; empty while they load. */
export function useFilterChoices() {
  const { data } = useCall('retrieveDeveloperFilters');
  return {
    routes: asChoices(data?.routes),
    codes: asChoices(data?.codes),
    event_types: asChoices(data?.event_types),
  };
}
