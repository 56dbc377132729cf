export declare const builtFrom: string;
export declare function hashSources(): Promise<string>;
