import type { BuildOptions, Plugin } from 'esbuild';

export declare const ownAddresses: (output: string) => Plugin;
export declare const bundleOptions: BuildOptions & { splitting: true };
