import { readFileSync } from 'node:fs';

const maxLineLength = JSON.parse(readFileSync(new URL('../../biome.json', import.meta.url), 'utf8')).formatter
  .lineWidth;

/** What may stand on the line of its `if`. Another `if` or a loop there would be read past. */
const simple = new Set([
  'BreakStatement',
  'ContinueStatement',
  'ExpressionStatement',
  'ReturnStatement',
  'ThrowStatement',
]);

/** The `if`s of a chain of `else if`, with the last `else`: each as its condition and what it does. */
function branchesOf(node) {
  const own = { test: node.test, body: node.consequent };
  const { alternate } = node;
  if (alternate === null) return [own];
  return [
    own,
    ...(alternate.type === 'IfStatement' ? branchesOf(alternate) : [{ test: null, body: alternate }]),
  ];
}

/** The one statement of a branch; undefined where there are several, or a comment that needs a line of its own. */
function onlyStatement(sourceCode, body) {
  if (body.type !== 'BlockStatement') return body;
  if (body.body.length !== 1 || sourceCode.getCommentsInside(body).length > 0) return undefined;
  return body.body[0];
}

/** A branch as it would be without braces; undefined where that takes more than a line. */
function folded(sourceCode, { test, body }, indent, index) {
  const statement = onlyStatement(sourceCode, body);
  if (statement === undefined || !simple.has(statement.type)) return undefined;
  const head = test === null ? 'else ' : `${index > 0 ? 'else ' : ''}if (${sourceCode.getText(test)}) `;
  const text = head + sourceCode.getText(statement);
  return text.includes('\n') || indent + text.length > maxLineLength ? undefined : text;
}

/** `if (x) return y;` where that fits on one line, else braces; all branches of one `if` alike. */
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
