import { useUrlQuery } from '../../navigation/navigation.tsx';

export interface Sort {
  readonly by: string;
  readonly order: 'asc' | 'desc';
}

export interface TableQuery {
  readonly page: number;
  readonly sort: Sort | undefined;
  readonly onPage: (page: number) => void;
  readonly onSort: (sort: Sort) => void;
}

/** The page and the sort order of a table, kept in the URL as `page` and `sort` (`-amount` for descending). */
export function useTableQuery(initial?: Sort): TableQuery {
  const url = useUrlQuery();
  const page = Number(url.get('page'));
  return {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    sort: sortOf(url.get('sort')) ?? initial,
    onPage: (next) => url.set({ page: next === 1 ? undefined : String(next) }),
    onSort: ({ by, order }) => url.set({ sort: order === 'desc' ? `-${by}` : by, page: undefined }),
  };
}

const sortOf = (text: string): Sort | undefined =>
  text === '' ? undefined : { by: text.replace(/^-/, ''), order: text.startsWith('-') ? 'desc' : 'asc' };
