import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 collect old objects once they take twice of what was alive after the last time. By default a busy server's heap
 * grows to three or four times of that.
 */
export const keepHeapSmall = (): void => setFlagsFromString('--heap-growing-percent=100');
