import { None } from '../../../components/values/key-value.tsx';
import { language } from '../../../lib/amounts/language.ts';
import { type Fields, fieldName, valueText } from './audit-text.ts';

/** The fields that an action changed, before and after. */
export function AuditChanges({
  before,
  after,
}: {
  readonly before: Fields | null;
  readonly after: Fields | null;
}) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0) return <p className="text-text-2">No fields were changed.</p>;
  return (
    <table className="w-full table-fixed text-sm">
      <caption className="pb-2 text-left text-base font-semibold">Changes</caption>
      <thead className="text-left text-text-3">
        <tr className="border-b border-line">
          <th scope="col" className="py-1.5 pr-3 font-medium">
            Field
          </th>
          <th scope="col" className="py-1.5 pr-3 font-medium">
            Before
          </th>
          <th scope="col" className="py-1.5 font-medium">
            After
          </th>
        </tr>
      </thead>
      <tbody className="align-top [overflow-wrap:anywhere]">
        {names.map((name) => (
          <tr key={name} className="border-b border-line last:border-b-0">
            <th scope="row" className="py-1.5 pr-3 text-left font-medium">
              {fieldName(name)}
            </th>
            <td className="py-1.5 pr-3 text-text-2">
              {valueText(name, before ?? {}, language()) ?? <None />}
            </td>
            <td className="py-1.5">{valueText(name, after ?? {}, language()) ?? <None />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
