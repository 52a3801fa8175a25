package com.caucho.jstl;

/** Missing from the jar of 3.0.9, where a class implements it: without it every request fails. */
public interface JstlPageContext {
}
