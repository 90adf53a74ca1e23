export declare const baseArgs: string[];
export declare const softwareGpuArgs: string[];
export declare function findChrome(): string | undefined;
