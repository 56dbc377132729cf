import { Badge } from '../../components/badge.tsx';

/** In which mode something happened. */
export const ModeBadge = ({ livemode }: { readonly livemode: boolean }) => (
  <Badge tone={livemode ? 'info' : 'warn'}>{livemode ? 'Live' : 'Sandbox'}</Badge>
);
