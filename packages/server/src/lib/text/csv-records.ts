/** One record of a CSV file. */
export interface CsvRecord {
  /** The line where the record begins, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** The file cannot be read. The message is for the person who sent it. */
export class CsvFault extends Error {
  /** The line of the error, from 1. */
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** The maximum length of a record in characters. It bounds the memory; no report has longer records. */
const maxRecordLength = 65_536;

/**
 * Reads a CSV file of any size (RFC 4180, UTF-8, with or without a byte order mark) record by record. Empty lines are skipped.
 * @throws CsvFault for invalid UTF-8, a NUL, an unclosed or misplaced quote, and a record that is too long
 */
export async function* csvRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CsvRecord> {
  const reader = new RecordReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new CsvFault(reader.line, 'the file is not UTF-8');
    }
  };
  for await (const chunk of chunks) yield* reader.take(decode(chunk));
  yield* reader.take(decode());
  yield* reader.end();
}

/** Converts characters to records; `state` is the position within the current field. */
class RecordReader {
  line = 1;
  #begun = 1;
  #fields: string[] = [];
  #field = '';
  #length = 0;
  #state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  #afterReturn = false;

  *take(text: string): Generator<CsvRecord> {
    for (const character of text) {
      const follows = this.#afterReturn && character === '\n';
      this.#afterReturn = character === '\r';
      if (follows) continue;
      const record = this.#next(character);
      if (record !== null) yield record;
    }
  }

  *end(): Generator<CsvRecord> {
    if (this.#state === 'quoted') throw new CsvFault(this.#begun, 'a quote is not closed');
    const record = this.#endRecord();
    if (record !== null) yield record;
  }

  #next(character: string): CsvRecord | null {
    this.#length += 1;
    // No text contains a NUL and no database accepts it: the file was not written completely, or is not a text.
    if (character === '\0') throw new CsvFault(this.line, 'it holds a character of no text (NUL)');
    if (this.#length > maxRecordLength) throw new CsvFault(this.#begun, 'the line is too long');
    const ends = character === '\n' || character === '\r';
    if (this.#state === 'quoted') {
      if (character === '"') this.#state = 'closed';
      else this.#field += character;
      // A line break within quotes is part of the field.
      if (ends) this.line += 1;
      return null;
    }
    if (ends) return this.#endLine();
    if (character === ',') {
      this.#endField();
    } else if (character === '"') {
      this.#quote();
    } else if (this.#state === 'closed') {
      throw new CsvFault(this.line, 'text stands behind a closing quote');
    } else {
      this.#state = 'plain';
      this.#field += character;
    }
    return null;
  }

  #quote(): void {
    if (this.#state === 'plain') {
      throw new CsvFault(this.line, 'a quote stands within a field without quotes');
    }
    // Two quotes within a quoted field stand for one.
    if (this.#state === 'closed') this.#field += '"';
    this.#state = 'quoted';
  }

  #endField(): void {
    this.#fields.push(this.#field);
    this.#field = '';
    this.#state = 'start';
  }

  #endLine(): CsvRecord | null {
    const record = this.#endRecord();
    this.line += 1;
    this.#begun = this.line;
    return record;
  }

  #endRecord(): CsvRecord | null {
    const isEmpty = this.#fields.length === 0 && this.#field === '' && this.#state === 'start';
    this.#endField();
    const fields = this.#fields;
    this.#fields = [];
    this.#length = 0;
    return isEmpty ? null : { line: this.#begun, fields };
  }
}
