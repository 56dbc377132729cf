import { type ChildProcess, spawn } from 'node:child_process';
import { until } from './until.ts';

/** Printed after every command on both outputs: the record separator, which no command prints. */
const mark = '\u001e';

export interface Printed {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number;
}

/** A shell that stays open, into which a reader of the documentation enters commands one after the other. */
export class Terminal {
  readonly #shell: ChildProcess;
  #out = '';
  #err = '';

  /** @param prelude runs first, for example to define functions that the documentation's commands use */
  constructor(folder: string, environment: Readonly<Record<string, string | undefined>>, prelude = '') {
    this.#shell = spawn('bash', ['--noprofile', '--norc'], {
      cwd: folder,
      env: { ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Creates a process group, so that what the shell leaves running ends with it.
      detached: true,
    });
    this.#shell.stdout?.on('data', (chunk: Buffer) => {
      this.#out += chunk.toString();
    });
    this.#shell.stderr?.on('data', (chunk: Buffer) => {
      this.#err += chunk.toString();
    });
    this.#shell.stdin?.write(`${prelude}\n`);
  }

  /** Everything printed so far, by finished commands and by what they left running. */
  get screen(): string {
    return (this.#err + this.#out).replaceAll(new RegExp(`${mark}\\d+${mark}\n?`, 'g'), '');
  }

  /** Runs a command and waits until the shell is ready for the next one. */
  async run(command: string, timeoutMs = 60_000): Promise<Printed> {
    const [outStart, errStart] = [this.#out.length, this.#err.length];
    const marked = `printf '${mark}%s${mark}\\n' $code`;
    this.#shell.stdin?.write(`${command}\ncode=$?; ${marked}; ${marked} >&2\n`);
    const ended = new RegExp(`${mark}(\\d+)${mark}`);
    return until(
      `the end of ${command}`,
      () => {
        const [out, err] = [this.#out.slice(outStart), this.#err.slice(errStart)];
        const match = ended.exec(out);
        if (match === null || !ended.test(err)) return undefined;
        return { out: out.slice(0, match.index), err: err.replace(ended, ''), exitCode: Number(match[1]) };
      },
      timeoutMs,
    );
  }

  /** Starts a command that runs until `close`, and does not wait for it. */
  start(command: string): void {
    this.#shell.stdin?.write(`${command}\n`);
  }

  /** Ends the shell and what runs in it. `SIGINT` is what Ctrl C sends. */
  async close(signal: 'SIGINT' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    const { pid, exitCode, signalCode } = this.#shell;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const closed = new Promise((resolve) => {
      this.#shell.once('close', resolve);
    });
    this.#shell.stdin?.end();
    process.kill(-pid, signal);
    await closed;
  }
}
