import { type Argument, type Command, InvalidArgumentError, type Option } from 'commander';

const maxShown = 100;
const secrets: ReadonlySet<string> = new Set(['--api-key', '--password', '--secret']);

/** The value as the message repeats it: without secrets and the credentials of a URL, and long text is cut. */
function shown(flag: string | undefined, value: string): string {
  if (flag !== undefined && secrets.has(flag)) return 'a value that is not shown';
  const withoutCredentials = value.replace(/\/\/[^/?#]*@/g, '//…@');
  const isLong = withoutCredentials.length > maxShown;
  return JSON.stringify(isLong ? `${withoutCredentials.slice(0, maxShown)}…` : withoutCredentials);
}

/**
 * Makes a command and its subcommands refuse a wrong value in one sentence, in the form of the configuration's messages:
 * `error: --limit: got "many", expected a whole number from 1 to 1000`. Commander itself would only join two texts.
 * The message of the parser's `InvalidArgumentError` is the part after "expected".
 */
export function describeInvalidValues(command: Command): void {
  for (const option of command.options) describe(command, option, option.long ?? option.flags, option.long);
  for (const argument of command.registeredArguments) describe(command, argument, `<${argument.name()}>`);
  for (const child of command.commands) describeInvalidValues(child);
}

function describe(command: Command, target: Option | Argument, name: string, flag?: string): void {
  const { parseArg, argChoices } = target;
  if (parseArg === undefined) return;
  target.parseArg = <T>(value: string, previous: T): T => {
    try {
      return parseArg(value, previous);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      const expected = argChoices === undefined ? error.message : `one of ${argChoices.join(', ')}`;
      // Commander would wrap an error with the code of InvalidArgumentError into a second message.
      return command.error(`error: ${name}: got ${shown(flag, value)}, expected ${expected}`, {
        code: 'till.invalidValue',
      });
    }
  };
}
