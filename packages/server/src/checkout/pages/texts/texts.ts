import type { en } from './en.ts';

/** The texts of one language: every key that English has. */
export type Texts = Readonly<Record<keyof typeof en, string>>;
export type TextKey = keyof Texts;
