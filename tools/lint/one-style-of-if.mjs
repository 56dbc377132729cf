import { readFileSync } from 'node:fs';

const maxLineLength = JSON.parse(readFileSync(new URL('../../biome.json', import.meta.url), 'utf8')).formatter
  .lineWidth;

/** Statements that may be on the same line as their `if`. A nested `if` or a loop there would be easy to overlook. */
const simple = new Set([
  'BreakStatement',
  'ContinueStatement',
  'ExpressionStatement',
  'ReturnStatement',
  'ThrowStatement',
]);

/** The branches of an `if` with its `else if`s and the final `else`: each with its condition and body. */
function branchesOf(node) {
  const own = { test: node.test, body: node.consequent };
  const { alternate } = node;
  if (alternate === null) return [own];
  return [
    own,
    ...(alternate.type === 'IfStatement' ? branchesOf(alternate) : [{ test: null, body: alternate }]),
  ];
}

/** The only statement of a branch; undefined if there are several, or a comment that needs its own line. */
function onlyStatement(sourceCode, body) {
  if (body.type !== 'BlockStatement') return body;
  if (body.body.length !== 1 || sourceCode.getCommentsInside(body).length > 0) return undefined;
  return body.body[0];
}

/** The text of a branch without braces; undefined if it takes more than one line. */
function folded(sourceCode, { test, body }, indent, index) {
  const statement = onlyStatement(sourceCode, body);
  if (statement === undefined || !simple.has(statement.type)) return undefined;
  const head = test === null ? 'else ' : `${index > 0 ? 'else ' : ''}if (${sourceCode.getText(test)}) `;
  const text = head + sourceCode.getText(statement);
  return text.includes('\n') || indent + text.length > maxLineLength ? undefined : text;
}

/** Requires `if (x) return y;` if it fits on one line, otherwise braces. All branches of one `if` have the same style. */
const oneStyleOfIf = {
  meta: {
    type: 'layout',
    fixable: 'code',
    messages: {
      fold: 'A single statement that fits on the line of its if stands there, without braces.',
      braces: 'What does not fit on the line of its if has braces, and so has every branch beside it.',
    },
    schema: [],
  },
  create({ sourceCode, report }) {
    return {
      IfStatement(node) {
        if (node.parent.type === 'IfStatement' && node.parent.alternate === node) return;
        const branches = branchesOf(node);
        const indent = node.loc.start.column;
        const texts = branches.map((branch, index) => folded(sourceCode, branch, indent, index));
        if (texts.every((text) => text !== undefined)) {
          if (branches.every(({ body }) => body.type !== 'BlockStatement')) return;
          if (sourceCode.getCommentsInside(node).length > 0) return;
          const whole = texts.join(`\n${' '.repeat(indent)}`);
          report({ node, messageId: 'fold', fix: (fixer) => fixer.replaceText(node, whole) });
          return;
        }
        const bare = branches.map(({ body }) => body).filter(({ type }) => type !== 'BlockStatement');
        if (bare.length === 0) return;
        report({
          node,
          messageId: 'braces',
          fix: (fixer) =>
            bare.flatMap((body) => [fixer.insertTextBefore(body, '{'), fixer.insertTextAfter(body, '}')]),
        });
      },
    };
  },
};

export default { meta: { name: 'till' }, rules: { 'one-style-of-if': oneStyleOfIf } };
