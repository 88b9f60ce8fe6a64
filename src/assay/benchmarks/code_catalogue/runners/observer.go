package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Observer reports what a test observed; the values are compared with the expected ones outside.
type Observer struct {
	nonce string
}

type namedTest struct {
	name string
	run  func(*Observer)
}

// Value reports one value as JSON.
func (o *Observer) Value(value any) {
	encoded, err := json.Marshal(value)
	if err != nil {
		encoded, _ = json.Marshal("<" + err.Error() + ">")
	}
	o.write("value " + string(encoded))
}

// Error reports "error" or "no error".
func (o *Observer) Error(err error) {
	if err != nil {
		o.Value("error")
		return
	}
	o.Value("no error")
}

// Panics reports whether the call panics.
func (o *Observer) Panics(call func()) {
	panicked := true
	defer func() {
		recovered := recover()
		if panicked {
			_ = recovered
			o.Value("panic")
		} else {
			o.Value("no panic")
		}
	}()
	call()
	panicked = false
}

func (o *Observer) write(text string) {
	// One call per line, which begins with a line break: other prints cannot split it.
	_, _ = os.Stdout.WriteString("\n@" + o.nonce + " " + text + "\n")
}

func (o *Observer) run(test namedTest) {
	o.write("start " + test.name)
	defer func() {
		if reason := recover(); reason != nil {
			message, _ := json.Marshal(fmt.Sprint("panic: ", reason))
			o.write("error " + string(message))
		}
	}()
	test.run(o)
	o.write("end " + test.name)
}

func runTests(tests []namedTest) {
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	observer := &Observer{nonce: strings.TrimSpace(line)}
	for _, test := range tests {
		observer.run(test)
	}
	observer.write("done")
	os.Exit(0)
}
