/** The version of the contract with clients, which is not that of the package. */
export const API_VERSION = '2.0.0'
