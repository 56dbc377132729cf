import { type Static, Type } from 'typebox';
import { type DashboardOperation, IsoTime, rolesFor } from '../../api/dashboard-operation.ts';
import { patterns } from '../../primitives/patterns.ts';

export const savedViewLimits = { nameLength: 60, queryLength: 2000, views: 50 } as const;

const List = Type.Enum(['payments', 'refunds']);

const ViewName = Type.String({
  minLength: 1,
  maxLength: savedViewLimits.nameLength,
  pattern: patterns.notBlank,
  description: `a name of at most ${savedViewLimits.nameLength} characters`,
});

/** Named filters of a list: the query string of the page's address. */
export const SavedView = Type.Object({
  list: List,
  name: ViewName,
  query: Type.String(),
  created_at: IsoTime,
});
export type SavedView = Static<typeof SavedView>;

/** Views that a person saves for themselves in an account. A view is identified by its name. */
export const savedViewsApi = {
  listSavedViews: {
    id: 'listSavedViews',
    method: 'GET',
    path: '/accounts/:account/saved_views',
    roles: rolesFor.viewing,
    query: Type.Object({ list: Type.Optional(List) }),
    answers: { 200: Type.Object({ data: Type.Array(SavedView) }) },
  },
  /** Replaces an existing view of the same list and name. */
  saveView: {
    id: 'saveView',
    method: 'POST',
    movesMoney: false,
    path: '/accounts/:account/saved_views',
    roles: rolesFor.viewing,
    body: Type.Object({
      list: List,
      name: ViewName,
      query: Type.String({ maxLength: savedViewLimits.queryLength }),
    }),
    answers: { 201: SavedView },
    audit: 'saved_view.saved',
  },
  removeView: {
    id: 'removeView',
    method: 'DELETE',
    path: '/accounts/:account/saved_views/:list/:name',
    roles: rolesFor.viewing,
    answers: {
      200: Type.Object({ name: Type.String(), deleted: Type.Literal(true) }),
    },
    audit: 'saved_view.removed',
  },
} as const satisfies Record<string, DashboardOperation>;
